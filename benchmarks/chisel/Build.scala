// Compiles Chisel sources and writes their Verilog, again and again in one warm process.
//
// A request is one line on standard input, with its fields separated by tabs:
//   CLASSES OUT BASE TOPS FILE...
// The files are compiled into CLASSES, against the classes in BASE. Then the modules of TOPS (names with commas
// between them, from the object `bench.Tops`) are elaborated into OUT, as TOP.v; for TOP.fir, only the FIRRTL is
// written. The answer is the compiler's output, then one line: "done STATUS".

import java.io.{ByteArrayOutputStream, File, PrintStream, PrintWriter, StringWriter}
import java.net.{URL, URLClassLoader}
import java.nio.file.{Files, Paths}

import chisel3.RawModule
import chisel3.stage.{ChiselGeneratorAnnotation, ChiselStage}
import scala.tools.nsc.{Global, Settings}
import scala.tools.nsc.reporters.ConsoleReporter

object Build {
  def main(arguments: Array[String]): Unit = {
    val jars = arguments(0)
    val answers = System.out
    for (line <- scala.io.Source.stdin.getLines()) {
      val printed = new ByteArrayOutputStream
      val stream = new PrintStream(printed, true)
      System.setOut(stream)
      System.setErr(stream)
      val fields = line.split("\t", -1)
      val passed = Console.withOut(stream) {
        Console.withErr(stream) {
          try {
            compiled(jars, fields(0), fields(2), fields.drop(4), stream) && elaborated(fields, stream)
          } catch {
            case problem: Throwable => stream.println("error: " + problem); false
          }
        }
      }
      answers.println(printed.toString)
      answers.println("done " + (if (passed) 0 else 1))
      answers.flush()
    }
  }

  def compiled(jars: String, classes: String, base: String, files: Seq[String], out: PrintStream): Boolean = {
    if (files.isEmpty) return true
    val settings = new Settings(message => out.println("error: " + message))
    val path = if (base.isEmpty) jars else base + File.pathSeparator + jars
    settings.processArguments(List("-Xsource:2.11", "-language:reflectiveCalls", "-nowarn", "-d", classes), true)
    settings.classpath.value = path
    val writer = new PrintWriter(out, true)
    val reporter = new ConsoleReporter(settings, Console.in, writer)
    val compiler = new Global(settings, reporter)
    (new compiler.Run).compile(files.toList)
    writer.flush()
    !reporter.hasErrors
  }

  def elaborated(fields: Array[String], out: PrintStream): Boolean = {
    val Array(classes, target, base, names) = fields.take(4)
    val places = Seq(classes, base).filter(_.nonEmpty).map(place => new File(place).toURI.toURL)
    val loader = new URLClassLoader(places.toArray[URL], getClass.getClassLoader)
    val tops = loader.loadClass("bench.Tops").getMethod("of", classOf[String])
    names.split(",").filter(_.nonEmpty).forall { name =>
      val make = tops.invoke(null, name.stripSuffix(".fir")).asInstanceOf[() => RawModule]
      try {
        if (name.endsWith(".fir"))
          Files.write(Paths.get(target, name), (new ChiselStage).emitChirrtl(make(), Array("-td", target)).getBytes)
        else
          (new ChiselStage).execute(
            Array("-td", target, "-X", "verilog", "--output-file", name), Seq(ChiselGeneratorAnnotation(make)))
        true
      } catch {
        case problem: Throwable =>
          val text = new StringWriter
          problem.printStackTrace(new PrintWriter(text))
          out.println("error: while " + name + " is elaborated: " + problem.getMessage)
          out.println(text.toString.linesIterator.filter(_.contains(".scala:")).take(12).mkString("\n"))
          false
      }
    }
  }
}
